"""The preview."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "preview_title": "Preview",
    "preview_lead": "What this plan would show, before anything is spent. No simulated draw is ever published.",
    "preview_watermark": "Preview: true values, not for sharing",
    "preview_watermark_blind": "Preview of invented rows: nothing here was read from the table",
    "preview_warning": "Choosing bounds, bins or statistics after seeing true values is outside the guarantee. The "
    "release will say that the plan was changed after a preview, and a reviewer sees what was changed. Only you see "
    "this page; the ledger notes that you looked, and at which plan.",
    "preview_warning_blind": "Previews in this workspace read no rows. What stands for true values is made up from "
    "the declared columns alone, every declared value about equally often, and tells nothing about anybody.",
    "preview_no_plan": "There is no plan to preview yet. Choose statistics and an ε first; then look here at how far "
    "noise would move them.",
    "preview_bad_plan": "The plan is not complete yet. Its page says what is missing.",
    "preview_none": "Previews are turned off in this workspace: nobody sees true values before a release, or after.",
    "preview_none_instead": "The page of the plan says how large each error is expected to be. Nothing more is needed "
    "to publish.",
    "preview_take": "Show true and simulated values",
    "preview_take_blind": "Show invented and simulated values",
    "preview_take_help": "It spends nothing and stores no value. What it showed is forgotten when the page is left.",
    "preview_taking": "Counting the rows and simulating the noise",
    "preview_taking_blind": "Making up rows and simulating the noise",
    "preview_drawing": "Drawing the noise",
    "preview_invented": "Made up: {rows} rows, as many as the plan expects where it says so.",
    "preview_view": "What to look at",
    "preview_view_help": "The same draws, looked at in different ways. Changing the view draws nothing anew.",
    "view_beside": "True beside simulated",
    "view_beside_blind": "Invented beside simulated",
    "view_outcomes": "What readers might see",
    "view_sources": "Where the error comes from",
    "preview_draw": "Simulated draw {number} of {count}. What is published later will be yet another one.",
    "preview_next": "Another draw",
    "preview_next_six": "Six other draws",
    "preview_page": "Statistics",
    "preview_page_of": "{first} to {last} of {count}",
    "preview_caption": "{question} True and simulated values.",
    "preview_caption_blind": "{question} Invented and simulated values.",
    "preview_cells": "The first {shown} of {cells} rows.",
    "preview_agreement": "In {hits} of {draws} draws every answer is the true one.",
    "preview_agreement_blind": "In {hits} of {draws} draws every answer is that of the invented rows.",
    "preview_rule": "Unreliable in this draw: {count} of {cells}. A number is called so where half of its 95 % "
    "interval is more than half of the value, or where the interval reaches zero or less.",
    "mark": "Mark",
    "unreliable": "unreliable",
    "true": "True",
    "true_blind": "Invented",
    "noisy": "Simulated",
    "interval": "95 % interval",
    "chart_alt": "{question} True values in blue outline, simulated values in orange with intervals. The table below "
    "has the same numbers.",
    "chart_alt_blind": "{question} Invented values in blue outline, simulated values in orange with intervals. The "
    "table below has the same numbers.",
    "series_true": "True value (hollow)",
    "series_true_blind": "Invented value (hollow)",
    "series_noisy": "Simulated release (filled, with 95 % interval)",
    "series_true_line": "True value (dashed)",
    "series_true_line_blind": "Invented value (dashed)",
    "series_noisy_line": "Simulated release (with 95 % band)",
    "series_noisy_plain": "Simulated release (filled)",
    "alike": "Draws with the true answer",
    "alike_blind": "Draws with the same answer",
    "percent": "{number} %",
    "percent_range": "{low} to {high} %",
    "percent_margin": "± {number} %",
    "not_there": "not there",
    "true_count": "True count",
    "true_count_blind": "Invented count",
    "noisy_count": "Simulated count",
    "noisy_raw": "Simulated, before post-processing",
    "range_low": "95 % of draws from",
    "range_high": "to",
    "error_map_title": "How reliable is each cell in this draw?",
    "error_map_legend": "Half of the 95 % interval, as a share of the simulated value",
    "error_map_alt": "{question} A map of the cells: the darker, the larger half of the 95 % interval is beside the "
    "simulated value. The table above has the intervals.",
    "error_low": "up to 10 %",
    "error_middle": "10 to 25 %",
    "error_high": "25 to 50 %",
    "error_worst": "over 50 %: unreliable",
    "outcomes_lead": "A reader sees one draw and cannot tell which. These are some of {count} simulated ones: a "
    "conclusion that not all of them carry is not safe to draw.",
    "outcomes_alt": "{question} Simulated draws {first} to {last} side by side, each as readers might see it.",
    "outcome": "Draw {number}",
    "dots_cell": "One number, as twenty equally likely dots",
    "dots_alt": "{question} {dots} equally likely outcomes as dots, all but two of them between {low} and {high}, and "
    "the value without noise as a dashed line.",
    "dots_read": "Each dot is as likely as any other: {inside} of {dots} lie between {low} and {high}.",
    "ranks_title": "Does the order of the {count} highest survive?",
    "ranks_changed": "In {hits} of {draws} draws their order is another one (between {low} and {high} % of all "
    "possible draws).",
    "ranks_caption": "{question} How often neighbours in the order swap.",
    "ranks_higher": "Higher without noise",
    "ranks_lower": "Next below",
    "ranks_swapped": "Draws that swap or tie them",
    "simulation_error": "Simulation error",
    "survival_title": "Would a conclusion survive?",
    "survival_first": "Compare",
    "survival_second": "with",
    "survival_same": "Choose two different ones.",
    "survival_text": "{higher} is truly higher than {lower}. {hits} of {draws} draws say so too: between {low} and "
    "{high} % of all possible draws.",
    "survival_text_blind": "In the invented rows {higher} is higher than {lower}. {hits} of {draws} draws say so too: "
    "between {low} and {high} % of all possible draws.",
    "survival_equal_text": "{higher} and {lower} are truly equal. {hits} of {draws} draws say so too: between {low} "
    "and {high} % of all possible draws.",
    "survival_equal_text_blind": "In the invented rows {higher} and {lower} are equal. {hits} of {draws} draws say so "
    "too: between {low} and {high} % of all possible draws.",
    "answers_caption": "{question} What the draws answer.",
    "answers_head": "Answer",
    "answers_share": "Draws",
    "answers_true": "True",
    "answers_true_blind": "Invented",
    "sources_warning": "These counts are true values too. Where bounds weigh more than noise, think again about what "
    "is generally known of the column; bounds that are fitted to the rows tell something about the rows.",
    "sources_rows": "Rows that the plan is about",
    "sources_unidentified": "Left out: they do not say whose they are",
    "sources_cut": "Left out: more rows of a unit than the plan uses",
    "sources_kept": "Used",
    "sources_caption": "How many rows each column changes or leaves out",
    "sources_column": "Column",
    "sources_below": "Below the lower bound",
    "sources_above": "Above the upper bound",
    "sources_undeclared": "Category not declared",
    "sources_coded": "Code for no answer",
    "sources_missing": "No value",
    "sources_stray": "{stray} rows lie outside the bounds of {column}, and count as a bound. If a code stands for no "
    "answer there, declare it; the ledger remembers that true values were seen before.",
    "sources_of": "Of {rows} rows. Values outside the bounds count as the nearest bound, or as no value where that is "
    "declared; undeclared categories count as other, or are left out.",
    "sources_where": "Columns by which rows are chosen are not looked at beyond their bounds.",
    "sources_table": "{question} Where the error comes from.",
    "sources_words": "Its answers are words: they have no error that could be split.",
    "sources_unknown": "Nothing moves these numbers away from the truth.",
    "sources_largest_noise": "Noise is the largest part of the error. A larger share of ε, fewer cells or narrower "
    "bounds lessen it.",
    "sources_largest_clipping": "The bounds are the largest part of the error: they move the number always the same "
    "way, and no interval shows it. Wider bounds lessen it and raise the noise.",
    "sources_largest_cutting": "Leaving out rows is the largest part of the error: it moves the number always the "
    "same way, and no interval shows it. More rows of each unit lessen it and raise the noise.",
    "sources_mostly_noise": "Noise is the largest part of the error in {count} of {cells} cells. A larger share of ε, "
    "fewer cells or narrower bounds lessen it.",
    "sources_mostly_clipping": "The bounds are the largest part of the error in {count} of {cells} cells: they move "
    "numbers always the same way, and no interval shows it. Wider bounds lessen it and raise the noise.",
    "sources_mostly_cutting": "Leaving out rows is the largest part of the error in {count} of {cells} cells: it "
    "moves numbers always the same way, and no interval shows it. More rows of each unit lessen it and raise the "
    "noise.",
    "sources_quantiles": "Bounds move a quantile only where it lies outside them: then it stands at the bound.",
    "sources_no_clipping": "What bounds add is worked out for sums and means; the table above says how many values "
    "lie outside.",
    "part_cell": "Number",
    "part_noise": "Noise, 95 % of draws",
    "part_clipping": "Bounds add",
    "part_cutting": "Left-out rows add",
    "part_largest": "Largest",
    "largest_noise": "noise",
    "largest_clipping": "bounds",
    "largest_cutting": "left-out rows",
    "unknown": "unknown",
    "policy_previews": "What previews may show in this workspace",
    "policy_previews_ask": "Previews show",
    "previews_true": "True values",
    "previews_true_help": "Curators see the table's own values beside simulated ones. Each look is in the ledger.",
    "previews_blind": "Invented values",
    "previews_blind_help": "No rows are read. Curators see a table made up from the declared columns.",
    "previews_none": "Nothing",
    "previews_none_help": "The page is closed. Errors are foreseen from the plan alone.",
    "policy_save": "Decide so from now on",
    "policy_saved": "Decided, and noted in the ledger. Previews show: {policy}.",
}
