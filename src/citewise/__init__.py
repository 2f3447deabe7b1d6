"""citewise: which papers a draft should cite, and why."""
