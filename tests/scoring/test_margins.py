"""Files of margins: what they hold, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core.errors import InputError, UsageError
from assay.scoring.margins import Margins, add_margins
from assay.scoring.scored_collection import MissingDataError

MEANS = "track,task,run,map,P_10,P_15\nweb,a,one,0.2,0.4,\nweb,b,two,0.3,0.5,0.1\nrobust,,one,0.1,0.2,0.3\n"


def _file(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_run_means_are_those_of_the_track_and_only_complete_measures(tmp_path: Path) -> None:
    path = _file(tmp_path, "means.csv", MEANS)
    web = add_margins(Margins(), "means", [path], track={"track": "web"})
    assert web.runs == ("one", "two")
    assert {name: values.tolist() for name, values in web.run_means.items()} == {"AP": [0.2, 0.3], "P@10": [0.4, 0.5]}
    part = add_margins(Margins(), "means", [path], track={"track": "web", "task": "b"})
    assert part.runs == ("two",)
    assert part.run_means["P@15"].tolist() == [0.1]


def test_a_table_of_one_collection_needs_no_track(tmp_path: Path) -> None:
    path = _file(tmp_path, "means.tsv", "run\tmap\na\t0.25\nb\t0.5\n")
    assert add_margins(Margins(), "means", [path], track={"track": "web"}).runs == ("a", "b")


def test_judgments_give_topics_and_their_relevant_documents(tmp_path: Path) -> None:
    path = _file(tmp_path, "qrels", "499 0 a 1\n501 0 a 2\n501 0 b 1\n501 0 c -1\n502 0 a 0\n503 0 a 1\n")
    all_topics = add_margins(Margins(), "qrels", [path])
    assert all_topics.n_relevant == {"499": 1, "501": 2, "502": 0, "503": 1}
    assert all_topics.n_topics == 3  # one has no relevant document
    some = add_margins(Margins(), "qrels", [f"{path}:501-502"])
    assert some.n_relevant == {"501": 2, "502": 0}
    assert add_margins(Margins(), "qrels", [path], topics=lambda topic: topic == "503").n_topics == 1


def test_factors_are_named_as_we_name_measures(tmp_path: Path) -> None:
    mean = _file(tmp_path, "mn.csv", '"","AP","nDCG","nVDCG","RBP.8"\n"1",0.1,0.2,0.3,0.4\n"2",0.5,0.6,0.7,0.8\n')
    sd = _file(tmp_path, "sd.csv", '"","AP","nDCG","nVDCG","RBP.8"\n"1",0.01,0.02,0.03,0.04\n"2",0.5,0.6,0.7,0.8\n')
    of = add_margins(Margins(), "factors", [mean, sd])
    assert of.topics == ("1", "2")
    assert list(of.topic_means) == ["AP", "nDCG(discount='jk')", "nDCG", "RBP(p=0.8)"]
    assert of.topic_sds["AP"].tolist() == [0.01, 0.5]
    with pytest.raises(MissingDataError, match="run means of AP"):
        of.of("AP")
    assert add_margins(Margins(), "factors", [f"{mean}:2-2", f"{sd}:2-2"]).topic_means["AP"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("kind", "files", "track", "message"),
    [
        ("means", ["means.csv"], {"track": "terabyte"}, "no run of track 'terabyte'.*web, robust"),
        ("means", ["means.csv"], {}, "runs of 2 tracks"),
        ("means", ["qrels"], {}, "no column 'run'"),
        ("means", ["twice.csv"], {}, "run 'a' twice"),
        ("qrels", ["qrels:9-10"], {}, "none of the topics that count.*found 1"),
        ("qrels", ["qrels:10-9"], {}, "such as 501-550"),
        ("qrels", ["qrels", "qrels"], {}, "in one file"),
        ("factors", ["means.csv"], {}, "two files"),
        ("factors", ["mn.csv", "other.csv"], {}, "not of the same topics"),
        ("factors", ["words.csv", "mn.csv"], {}, "no measure in the header"),
        (
            "factors",
            ["mn.csv", "mn.csv"],
            {},
            "for means and for deviations; give both files, as in MEANS.csv,SD.csv",
        ),
        ("factors", ["x.sd.csv", "x.mn.csv"], {}, "the means come first"),
        ("means", ["text.csv"], {}, "text.csv:3: map 'x' is not a number"),
        ("means", ["nan.csv"], {}, "nan.csv:3: map is NaN"),
        ("means", ["low.csv"], {}, "low.csv:3: map -3 is no mean; AP is from 0 to 1"),
        ("means", ["high.csv"], {}, "high.csv:3: P_10 4 is no mean; P@10 is from 0 to 1"),
    ],
)
def test_nonsense_is_refused_in_one_line(
    kind: str, files: list[str], track: dict[str, str], message: str, tmp_path: Path
) -> None:
    _file(tmp_path, "means.csv", MEANS)
    _file(tmp_path, "twice.csv", "run,map\na,0.1\na,0.2\n")
    _file(tmp_path, "qrels", "1 0 a 1\n")
    _file(tmp_path, "mn.csv", "topic,AP\n1,0.1\n")
    for name, value in (("text", "x,0"), ("nan", "nan,0"), ("low", "-3,0"), ("high", "0.1,4")):
        _file(tmp_path, f"{name}.csv", f"run,map,P_10\na,0.1,0.2\nb,{value}\n")
    for name in ("x.mn.csv", "x.sd.csv"):
        _file(tmp_path, name, "topic,AP\n1,0.1\n")
    _file(tmp_path, "other.csv", "topic,AP\n2,0.1\n")
    _file(tmp_path, "words.csv", "topic,colour\n1,0.1\n")
    with pytest.raises((InputError, UsageError), match=message) as refusal:
        add_margins(Margins(), kind, [str(tmp_path / name) for name in files], track=track)
    assert "\n" not in str(refusal.value)
