"""The catalogue, one family a file."""

from assay.measures.average import AP, GMAP, SNAP, SP, Q, aAP
from assay.measures.cascade import BPM, ERR, INSQ, INST
from assay.measures.corrected import AP_LOO
from assay.measures.counts import NumRel, NumRelRet, NumRet
from assay.measures.gain import DCG, SDCG, SNDCG, enDCG, nDCG
from assay.measures.incomplete import Bpref, Judged, infAP
from assay.measures.precision import IAP, RR, IPrec, P, R, Rprec, Success
from assay.measures.rank_biased import RBP, nRBP
from assay.measures.sets import SetAP, SetF, SetP, SetR

__all__ = [
    "AP",
    "AP_LOO",
    "BPM",
    "DCG",
    "ERR",
    "GMAP",
    "IAP",
    "INSQ",
    "INST",
    "RBP",
    "RR",
    "SDCG",
    "SNAP",
    "SNDCG",
    "SP",
    "Bpref",
    "IPrec",
    "Judged",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "R",
    "Rprec",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "Success",
    "aAP",
    "enDCG",
    "infAP",
    "nDCG",
    "nRBP",
]
