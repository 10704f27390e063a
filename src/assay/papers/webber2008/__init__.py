"""Webber, Moffat, Zobel, Sakai. Precision-at-ten considered redundant. SIGIR 2008."""
