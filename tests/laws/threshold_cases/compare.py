"""Examples just inside and just outside the thresholds of `compare`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from assay.analyses.compare.slices import slices_of
from assay.core.errors import UsageError
from assay.data.formats.topic_tables import topic_attributes
from tests.builders.compare import compared, listed, normal, scores, table_file
from tests.laws.threshold_cases.case import Case


def n_slices(values: int) -> int:
    """How many slices a column with so many values makes."""
    with tempfile.TemporaryDirectory() as folder:
        path = table_file(Path(folder), "slices.csv", [("query", "lang"), *((f"t{i}", i) for i in range(values))])
        return len(list(slices_of(topic_attributes(path, [f"t{i}" for i in range(values)]))))


def refuses(n_clusters: int) -> bool:
    """Whether an interval over so many clusters is refused."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [("query", "cluster"), *((f"t{i}", i % n_clusters) for i in range(20))]
        try:
            compared(normal(20, 0.1), clusters=table_file(Path(folder), "clusters.csv", rows))
        except UsageError:
            return True
        return False


def n_named(n_topics: int) -> int:
    """How many of so many queries, on all of which the first is ahead, are named."""
    return compared(normal(n_topics, 1.0)).tables["queries"].height


def n_contradicting(n_topics: int) -> int:
    """How many queries are named of two measures that contradict each other on all of them."""
    one = normal(n_topics, 0.1).value[0]
    return compared(scores(np.stack([one, one[::-1]]), measures=("AP", "RR"))).tables["contradictions"].height


def n_lists(n_topics: int) -> int:
    """The lists of how many of so many queries, on all of which the first is behind, are shown."""
    result = compared(listed(n_topics))
    return int(result.tables["lists"]["topic"].n_unique())


CASES: dict[str, Case] = {
    "most_slices": Case(lambda: n_slices(50), lambda: n_slices(51), moved=49),
    "fewest_clusters": Case(lambda: refuses(6), lambda: refuses(5), moved=7),
    "shown_queries": Case(lambda: n_named(5), lambda: n_named(4), moved=4),
    "shown_contradictions": Case(lambda: n_contradicting(3), lambda: n_contradicting(2), moved=2),
    "shown_lists": Case(lambda: n_lists(3), lambda: n_lists(2), moved=2),
}
