"""What analyses give and how they are declared: results, sentences, charts and the catalogues of them."""
