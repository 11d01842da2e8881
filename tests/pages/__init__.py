"""The documentation as tests handle it: its pages, the commands that they show, and a site to run them in."""
