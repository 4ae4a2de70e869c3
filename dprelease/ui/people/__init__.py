"""The screens of people: who may do what, one's own account, and second factors."""
