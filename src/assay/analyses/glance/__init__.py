"""The collection at a glance: what there is before anything is computed."""
