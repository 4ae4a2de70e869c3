"""The lab for the public: pages that need no script, their pictures, numbers and programs."""
