# The questions by the package for R: `Rscript ask.R SOURCE QUESTIONS FOLDER`.
given <- commandArgs(trailingOnly = TRUE)
source(given[1], encoding = "UTF-8")
questions <- jsonlite::fromJSON(given[2], simplifyVector = FALSE)
held <- new.env()

release <- function(name) {
  if (is.null(held[[name]])) held[[name]] <- read_release(file.path(given[3], name))
  held[[name]]
}

found <- function(asked) {
  kind <- asked[[1]]
  rest <- asked[-1]
  if (kind %in% c("cell", "cells")) {
    table <- release_table(release(rest[[1]]), rest[[2]])
    keep <- rep(TRUE, nrow(table))
    for (key in names(rest[[3]])) keep <- keep & table[[key]] %in% unlist(rest[[3]][[key]])
    return(table[keep, ])
  }
  if (kind == "fact") return(release(rest[[1]])$certificate[[rest[[2]]]][[rest[[3]]]])
  if (kind == "load") {
    read_release(file.path(given[3], rest[[1]]), rest[[2]])
    return("held")
  }
  parts <- lapply(rest, function(each) if (is.list(each)) found(each) else each)
  if (kind == "grade") parts[[1]]$grade else do.call(combine, c(kind, parts))
}

written <- function(number) {
  if (is.null(number)) return("null")
  for (digits in 15:17) {
    text <- format(number, digits = digits, scientific = FALSE, trim = TRUE)
    if (as.numeric(text) == number) break
  }
  text
}

answer <- function(asked) tryCatch({
  own <- found(asked)
  if (inherits(own, "dprelease_table")) own <- combine("times", 1, own)
  if (!is.list(own)) return(as.character(own))
  numbers <- vapply(own[c("value", "lower95", "upper95", "confidence")], written, "")
  names(own) <- names(own)
  paste0("[", paste(c(numbers, jsonlite::toJSON(own$unit, auto_unbox = TRUE)), collapse = ", "), "]")
}, dprelease_refused = function(refused) "refused")

cat(jsonlite::toJSON(lapply(questions, answer), auto_unbox = TRUE))
