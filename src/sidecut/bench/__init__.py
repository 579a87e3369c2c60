"""How accurate is each method on real data? What `sidecut bench accuracy` runs.

`cases` holds the data, `methods` the estimators, `trials` what one fit is and how it is scored,
`workers` runs trials in processes, `results` keeps them in a file, `summary` ranks them,
`leaderboard` and `plots` show them.
"""
