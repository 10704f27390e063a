"""The page: a result as one self-contained HTML file; a report in three layers (`decide`, `look`, `cards`)."""
