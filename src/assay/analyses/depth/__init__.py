"""Pool depth and evaluation depth: how deep both must go to separate runs."""
