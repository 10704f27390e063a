"""Files and objects become runs and judgments, and these, joined once, judged rankings."""
