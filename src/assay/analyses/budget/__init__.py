"""Designs of test collections: how many topics, judged to which depth, a budget of judgments is best spent on."""
