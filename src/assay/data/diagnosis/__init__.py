"""What is odd about runs and judgments: found while they are joined, said before any answer."""
