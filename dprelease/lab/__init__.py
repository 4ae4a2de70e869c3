"""What an adversary can do, computed: pure functions of mechanisms, which read no rows and draw no noise."""
