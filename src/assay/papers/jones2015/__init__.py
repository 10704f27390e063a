"""Jones, Thomas, Scholer, Sanderson. Features of disagreement between effectiveness measures. SIGIR 2015."""
