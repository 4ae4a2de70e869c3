"""The workbench's one component: it draws what a plan would publish while its ε is moved."""
