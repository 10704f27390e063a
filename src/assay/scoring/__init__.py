"""Judged runs and measures become scores: the engine, conditions, and scores that other tools computed."""
