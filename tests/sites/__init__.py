"""Sites as an operator has them: a private root with inventories, variables, vaults and the file of the external identity."""
