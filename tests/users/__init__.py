"""What people met when they tried the workbench, each trap as a test named after what they saw."""
