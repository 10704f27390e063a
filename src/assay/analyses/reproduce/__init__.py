"""Do the published numbers and claims of the papers come out?"""
