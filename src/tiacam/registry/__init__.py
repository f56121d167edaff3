"""The ledger of records and the search for the nearest ones."""
