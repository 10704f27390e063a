"""What robertson2007 prints: tables 1 to 6, the samples' sizes n = 1 .. 5, each twice as small as the one before."""

from __future__ import annotations

from dataclasses import dataclass

DIGIT = 0.001  # the last that is printed
HALVINGS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """The numbers that are printed of one measure."""

    item: str
    measure: str  # as `population` calls it
    whole: float  # of the population, which the paper calls All
    mean: tuple[float, ...]  # [n]
    sd: tuple[float, ...]  # [n]
    heading: str = ""  # of the column of means
    method: str = ""  # of the two by which a table has precision
    generality: str = "fixed"  # in simulation 3 it varies

    @property
    def name(self) -> str:
        """What the numbers are called."""
        return f"{self.item}, {self.method}" if self.method else self.item

    @property
    def sd_heading(self) -> str:
        """The heading of the column of standard deviations; both methods of a table have one."""
        return f"Std dev {self.method.capitalize()}" if self.method else "Std dev"

    @property
    def command(self) -> str:
        """What shows the same means and standard deviations."""
        varying = " --generality varying --n-nonrel 3200000" if self.generality == "varying" else ""
        return f"assay population --populations 100 --samples 10000{varying}"

    @property
    def before(self) -> str:
        """What stands before the name of a cell."""
        return f"{self.method}, " if self.method else ""


AP = PrintedColumn(
    "table 1",
    "AP",
    0.138,
    (0.143, 0.156, 0.175, 0.201, 0.238),
    (0.028, 0.049, 0.078, 0.117, 0.173),
    "Mean AP",
)
P10 = PrintedColumn(
    "table 2",
    "P@n",
    0.400,
    (0.362, 0.322, 0.258, 0.213, 0.152),
    (0.113, 0.128, 0.123, 0.113, 0.092),
    "Mean P@10",
)
SHARE_BY_SCORE = PrintedColumn(
    "table 3",
    "P@pN, fixed score",
    0.150,
    (0.150, 0.151, 0.151, 0.153, 0.154),
    (0.017, 0.029, 0.045, 0.068, 0.104),
    "Mean Prec Method 1",
    "method 1",
)
SHARE_BY_RANK = PrintedColumn(
    "table 3",
    "P@pN, fixed rank",
    0.150,
    (0.152, 0.152, 0.152, 0.152, 0.152),
    (0.016, 0.028, 0.043, 0.064, 0.092),
    "Mean Prec Method 2",
    "method 2",
)
RECALL_BY_SCORE = PrintedColumn(
    "table 4",
    "P@recall, fixed score",
    0.116,
    (0.112, 0.113, 0.113, 0.114, 0.115),
    (0.010, 0.017, 0.027, 0.040, 0.060),
    "Mean Prec Method 1",
    "method 1",
)
RECALL_IN_SAMPLE = PrintedColumn(
    "table 4",
    "P@recall, in sample",
    0.116,
    (0.109, 0.118, 0.140, 0.186, 0.274),
    (0.028, 0.053, 0.092, 0.156, 0.260),
    "Mean Prec Method 2",
    "method 2",
)
GENERALITY = PrintedColumn(
    "table 5",
    "AP",
    0.304,
    (0.208, 0.141, 0.099, 0.076, 0.063),
    (0.032, 0.044, 0.053, 0.067, 0.087),
    "Mean AP",
    generality="varying",
)
NDCG = PrintedColumn(
    "table 6",
    "nDCG",
    0.639,
    (0.602, 0.572, 0.541, 0.514, 0.490),
    (0.034, 0.059, 0.090, 0.126, 0.172),
    "Mean NDCG",
)

PRINTED = (AP, P10, SHARE_BY_SCORE, SHARE_BY_RANK, RECALL_BY_SCORE, RECALL_IN_SAMPLE, GENERALITY, NDCG)

OTHER_WHOLE = 0.112
"""What All of table 4 would be if its method 1 has the score of the 64th relevant document."""
