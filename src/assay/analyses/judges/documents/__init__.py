"""Agreement on documents: how alike judges label them, and what is odd about a judge."""
