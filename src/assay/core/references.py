"""Where measures and analyses come from: citation key -> reference."""

from __future__ import annotations

REFERENCES: dict[str, str] = {
    "agresti2005": "Agresti, Min. Simple improved confidence intervals for comparing matched proportions. Statistics "
    "in Medicine 24(5), 2005, 729-740.",
    "andrews2010": "Andrews, Soares. Inference for parameters defined by moment inequalities using generalized "
    "moment selection. Econometrica 78(1), 2010, 119-157.",
    "angelopoulos2023": "Angelopoulos, Bates, Fannjiang, Jordan, Zrnic. Prediction-powered inference. Science 382, "
    "2023, 669-674.",
    "angelopoulos2023b": "Angelopoulos, Duchi, Zrnic. PPI++: Efficient prediction-powered inference. arXiv "
    "2311.01453, 2023.",
    "arteaga1982": "Arteaga, Jeyaratnam, Graybill. Confidence intervals for proportions of total variance in the "
    "two-way cross component of variance model. Communications in Statistics: Theory and Methods 11(15), 1982, "
    "1643-1658.",
    "aslam2005": "Aslam, Yilmaz, Pavlu. The maximum entropy method for analyzing retrieval measures. "
    "SIGIR 2005, 27-34.",
    "bell2002": "Bell, McCaffrey. Bias reduction in standard errors for linear regression with multi-stage samples. "
    "Survey Methodology 28(2), 2002, 169-181.",
    "benjamini2005": "Benjamini, Yekutieli. False discovery rate-adjusted multiple confidence intervals for selected "
    "parameters. JASA 100(469), 2005, 71-81.",
    "bodoff2007": "Bodoff, Li. Test theory for assessing IR test collections. SIGIR 2007, 367-374.",
    "brennan2001": "Brennan. Generalizability Theory. Springer 2001.",
    "buckley2000": "Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000, 33-40.",
    "buckley2004": "Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004, 25-32.",
    "buckley2005": "Buckley, Voorhees. Retrieval system evaluation. In Voorhees, Harman (eds.), TREC: Experiment and "
    "Evaluation in Information Retrieval, MIT Press 2005.",
    "buckley2007": "Buckley, Dimmick, Soboroff, Voorhees. Bias and the limits of pooling for large collections. "
    "Information Retrieval 10(6), 2007, 491-508.",
    "cabanac2010": "Cabanac, Hubert, Boughanem, Chrisment. Tie-breaking bias: Effect of an uncontrolled parameter on "
    "information retrieval evaluation. CLEF 2010, 112-123.",
    "carterette2012": "Carterette. Multiple testing in statistical analysis of systems-based information retrieval "
    "experiments. ACM TOIS 30(1), 2012, 4:1-4:34.",
    "chapelle2009": "Chapelle, Metzler, Zhang, Grinspan. Expected reciprocal rank for graded relevance. "
    "CIKM 2009, 621-630.",
    "clopper1934": "Clopper, Pearson. The use of confidence or fiducial limits illustrated in the case of the "
    "binomial. Biometrika 26, 1934, 404-413.",
    "cohen1960": "Cohen. A coefficient of agreement for nominal scales. Educational and Psychological Measurement "
    "20(1), 1960, 37-46.",
    "cohen1968": "Cohen. Weighted kappa: Nominal scale agreement with provision for scaled disagreement or partial "
    "credit. Psychological Bulletin 70(4), 1968, 213-220.",
    "cormack2006": "Cormack, Lynam. Statistical precision of information retrieval evaluation. SIGIR 2006, 533-540.",
    "cover1991": "Cover. Universal portfolios. Mathematical Finance 1(1), 1991, 1-29.",
    "craswell2004": "Craswell, Hawking. Overview of the TREC-2004 Web track. TREC 2004.",
    "dekker2007": "Dekker, Krackhardt, Snijders. Sensitivity of MRQAP tests to collinearity and autocorrelation "
    "conditions. Psychometrika 72, 2007, 563-581.",
    "feldt1965": "Feldt. The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty. "
    "Psychometrika 30(3), 1965, 357-370.",
    "fieller1954": "Fieller. Some problems in interval estimation. Journal of the Royal Statistical Society B 16(2), "
    "1954, 175-185.",
    "gelman2006": 'Gelman, Stern. The difference between "significant" and "not significant" is not itself '
    "statistically significant. American Statistician 60(4), 2006, 328-331.",
    "guenther1981": "Guenther. Sample size formulas for normal theory t tests. American Statistician 35(4), 1981, "
    "243-244.",
    "haldane1945": "Haldane. On a method of estimating frequencies. Biometrika 33(3), 1945, 222-225.",
    "hansen2011": "Hansen, Lunde, Nason. The model confidence set. Econometrica 79(2), 2011, 453-497.",
    "hoeffding1963": "Hoeffding. Probability inequalities for sums of bounded random variables. JASA 58(301), 1963, "
    "13-30.",
    "holm1979": "Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics "
    "6(2), 1979, 65-70.",
    "horvitz1952": "Horvitz, Thompson. A generalization of sampling without replacement from a finite universe. "
    "JASA 47, 1952, 663-685.",
    "hsu1984": "Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of "
    "Statistics 12(3), 1984, 1136-1144.",
    "jarvelin2002": "Järvelin, Kekäläinen. Cumulated gain-based evaluation of IR techniques. "
    "ACM TOIS 20(4), 2002, 422-446.",
    "jones2015": "Jones, Thomas, Scholer, Sanderson. Features of disagreement between retrieval effectiveness "
    "measures. SIGIR 2015.",
    "kanoulas2009": "Kanoulas, Aslam. Empirical justification of the gain and discount function for nDCG. "
    "CIKM 2009, 611-620.",
    "krippendorff2004": "Krippendorff. Content Analysis: An Introduction to Its Methodology, 2nd edition. Sage 2004.",
    "moffat2008": "Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. "
    "ACM TOIS 27(1), 2008, 2:1-2:27.",
    "moffat2012": "Moffat, Scholer, Thomas. Models and metrics: IR evaluation as a user process. ADCS 2012.",
    "moffat2013": "Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013, 1-12.",
    "moffat2015": "Moffat, Bailey, Scholer, Thomas. INST: An adaptive metric for information retrieval evaluation. "
    "ADCS 2015.",
    "mogstad2024": "Mogstad, Romano, Shaikh, Wilhelm. Inference for ranks with applications to mobility across "
    "neighbourhoods and academic achievement across countries. Review of Economic Studies 91(1), 2024, 476-518.",
    "robertson2006": "Robertson. On GMAP: and other transformations. CIKM 2006.",
    "robertson2007": "Robertson. On document populations and measures of IR effectiveness. ICTIR 2007.",
    "romano2005": "Romano, Wolf. Exact and approximate stepdown methods for multiple hypothesis testing. "
    "JASA 100(469), 2005, 94-108.",
    "sakai2004": "Sakai. New performance metrics based on multigrade relevance: Their application to question "
    "answering. NTCIR-4, 2004.",
    "sakai2006": "Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006, 525-532.",
    "sakai2016": "Sakai. Topic set size design. Information Retrieval Journal 19, 2016, 256-283.",
    "sanderson2005": "Sanderson, Zobel. Information retrieval system evaluation: effort, sensitivity, and "
    "reliability. SIGIR 2005, 162-169.",
    "satterthwaite1946": "Satterthwaite. An approximate distribution of estimates of variance components. Biometrics "
    "Bulletin 2(6), 1946, 110-114.",
    "shao1989": "Shao, Wu. A general theory for jackknife variance estimation. Annals of Statistics 17(3), 1989, "
    "1176-1197.",
    "stephens2017": "Stephens. False discovery rates: a new deal. Biostatistics 18(2), 2017, 275-294.",
    "thomas2011": "Thomas, Hawking, Jones. What deliberately degrading search quality tells us about discount "
    "functions. SIGIR 2011, 1107-1108.",
    "ting1990": "Ting, Burdick, Graybill, Jeyaratnam, Lu. Confidence intervals on linear combinations of variance "
    "components that are unrestricted in sign. Journal of Statistical Computation and Simulation 35, 1990, 135-143.",
    "urbano2013": "Urbano, Marrero, Martín. On the measurement of test collection reliability. SIGIR 2013, 393-402.",
    "vanrijsbergen1979": "van Rijsbergen. Information Retrieval, 2nd edition. Butterworths 1979.",
    "voorhees1999": "Voorhees. The TREC-8 question answering track report. TREC-8, 1999.",
    "voorhees2001": "Voorhees. Evaluation by highly relevant documents. SIGIR 2001, 74-82.",
    "voorhees2002": "Voorhees, Buckley. The effect of topic set size on retrieval experiment error. "
    "SIGIR 2002, 316-323.",
    "waudbysmith2024": "Waudby-Smith, Ramdas. Estimating means of bounded random variables by betting. JRSS B 86(1), "
    "2024, 1-27.",
    "webber2008": "Webber, Moffat, Zobel, Sakai. Precision-at-ten considered redundant. SIGIR 2008.",
    "webber2010": "Webber, Moffat, Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010.",
    "webber2010rbo": "Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010.",
    "wilson1927": "Wilson. Probable inference, the law of succession, and statistical inference. Journal of the "
    "American Statistical Association 22(158), 1927, 209-212.",
    "yilmaz2006": "Yilmaz, Aslam. Estimating average precision with incomplete and imperfect judgments. "
    "CIKM 2006, 102-111.",
    "yilmaz2008": "Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information retrieval. SIGIR "
    "2008, 587-594.",
    "zhang2017": "Zhang, Liu, Li, Zhang, Xu, Ma. Evaluating Web search with a Bejeweled player model. SIGIR 2017.",
    "zobel1998": "Zobel. How reliable are the results of large-scale information retrieval experiments? "
    "SIGIR 1998, 307-314.",
    "zou2008": "Zou, Donner. Construction of confidence limits about effect measures: A general approach. "
    "Statistics in Medicine 27(10), 2008, 1693-1702.",
}


def reference(key: str) -> str:
    """Return the reference a key stands for; a key that is not listed, such as a user's own, stands for itself.

    >>> reference("moffat2013")
    'Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013, 1-12.'
    """
    return REFERENCES.get(key, key)
