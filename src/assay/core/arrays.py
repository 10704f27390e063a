"""The array types, defined once; what the axes are stands beside each field and function."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]  # scores, weights, probabilities
Bools = NDArray[np.bool_]
Index = NDArray[np.intp]  # places in another array
Positions = NDArray[np.signedinteger]  # the same, in as few bytes as will do
Counts = NDArray[np.int64]
Grades = NDArray[np.int8]  # of documents; below 0 where there is none
Codes = NDArray[np.uint64]  # documents, topics and pairs, as hashes or bits
