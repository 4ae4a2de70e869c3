# Reading of releases in three functions: read_release, release_table and combine. Steps and their order are those of
# dprelease/bundle/arithmetic.py and joint_noise.py, so that all programs answer alike to the last digit.

refuse <- function(code, ...) stop(structure(class = c("dprelease_refused", "error", "condition"),
                                             list(message = paste(c(code, ...), collapse = " "), call = NULL)))

#' Read a release from a folder, a zip file or a web address, and check its signature and files.
#'
#' `key`: fingerprint of the publisher ("ed25519:..."). The ledger, and keys that were handed over, are not checked here.
read_release <- function(address, key = NULL) {
  if (grepl("^https?://", address)) {
    base <- sub("/?$", "/", address)
    get <- function(name) {
      file <- tempfile()
      on.exit(unlink(file))
      if (utils::download.file(paste0(base, utils::URLencode(name)), file, quiet = TRUE, mode = "wb") != 0) refuse("missing", name)
      readBin(file, "raw", file.size(file))
    }
  } else {
    if (!file.exists(address)) refuse("not_found", address)
    if (!dir.exists(address)) {
      out <- tempfile()
      found <- utils::unzip(address, exdir = out)
      address <- dirname(found[basename(found) == "SHA256SUMS"][1])
    }
    get <- function(name) {
      file <- file.path(address, name)
      if (!file.exists(file)) refuse("missing", name)
      readBin(file, "raw", file.size(file))
    }
  }
  sums <- get("SHA256SUMS")
  public <- openssl::read_pubkey(text_of(get("signer.pub")))
  signer <- paste0("ed25519:", paste(format(public$data), collapse = ""))
  held <- tryCatch(openssl::ed25519_verify(sums, get("SHA256SUMS.sig"), public), error = function(error) FALSE)
  if (!isTRUE(held)) refuse("signature")
  if (!is.null(key) && key != signer) refuse("key", signer)
  lines <- strsplit(text_of(sums), "\n", fixed = TRUE)[[1]]
  names <- substring(lines, 67)
  files <- lapply(names, get)
  hashes <- vapply(files, function(data) paste(format(unclass(openssl::sha256(data))), collapse = ""), "")
  if (any(changed <- hashes != substr(lines, 1, 64))) refuse("changed", names[changed])
  files <- stats::setNames(files, names)
  structure(list(
    certificate = jsonlite::fromJSON(text_of(files[["release.json"]]), simplifyVector = FALSE),
    described = jsonlite::fromJSON(text_of(files[["datapackage.json"]]), simplifyVector = FALSE)$resources,
    signer = signer, signer_known = !is.null(key), files = files
  ), class = "dprelease_release")
}

text_of <- function(data) {
  text <- rawToChar(data)
  Encoding(text) <- "UTF-8"
  text
}

#' Return a table of a release: a data frame with keys, value, lower95, upper95 and grade, each row of which is a cell.
release_table <- function(release, name) {
  own <- release$certificate
  described <- Filter(function(each) identical(each$name, name) && !is.null(each$axes), release$described)
  if (!length(described)) refuse("no_table", name)
  described <- described[[1]]
  stated <- Filter(function(each) name %in% unlist(each$tables), own$statistics)[[1]]
  asked <- Filter(function(each) each$id == stated$id, own$plan$statistics)[[1]]
  rows <- utils::read.csv(text = text_of(release$files[[described$path]]), colClasses = "character",
                          check.names = FALSE, na.strings = NULL, encoding = "UTF-8")
  measure <- stated$presentation$measure
  traits <- unlist(stated$presentation$traits)
  unit <- if (!is.null(asked[["column"]])) own$plan$columns[[asked[["column"]]]][["unit"]]
  unit <- if (measure != "column") measure else if (is.null(unit) || unit == "") asked[["column"]] else unit
  measured <- Filter(function(each) each$id %in% unlist(stated$measurements), own$measurements)
  mechanisms <- do.call(c, lapply(measured, function(each) each$mechanisms))
  law <- if (length(mechanisms)) mechanisms[[1]]
  margins <- isTRUE(asked[["margins"]])
  known <- stated$id == name && is.null(own[["several"]]) && is.null(stated[["source"]]) && length(mechanisms) == 1 &&
    !is.null(law$step) && law$name %in% c("discrete_laplace", "discrete_gaussian") && is.null(law$settings$threshold) &&
    "additive" %in% traits && !any(c("unlike", "ranked") %in% traits) && ("own_noise" %in% traits || margins) &&
    is.null(asked[["survey_weights"]]) && is.null(asked[["sampling"]])
  sizes <- vapply(described$axes, function(axis) as.integer(axis$cells), 1L)
  behind <- rev(cumprod(c(1, rev(sizes))))[-1]
  inner <- lapply(seq_along(sizes), function(axis) {
    first <- rows[[described$axes[[axis]]$names[[1]]]]
    !(margins & first[(seq_len(sizes[axis]) - 1) * behind[axis] + 1] == "_T")
  })
  fits <- known && prod(unlist(law$shape)) == prod(vapply(inner, sum, 1))
  from <- if ("raw" %in% names(rows)) rows$raw else rows$value
  forms <- lapply(seq_len(nrow(rows)), function(row) {
    if (!fits || from[row] == "") return(NULL)
    places <- 0
    for (axis in seq_along(sizes)) {
      at <- (row - 1) %/% behind[axis] %% sizes[axis]
      sides <- if (inner[[axis]][at + 1]) at else which(inner[[axis]]) - 1
      places <- as.vector(outer(sides * behind[axis], places, "+"))
    }
    step <- decimal(law$step)
    list(value = decimal(from[row]), keys = paste(release$signer, own$id, stated$id, places), c = rep(step$n, length(places)),
         k = step$k, law = rep(law$name, length(places)), scale = rep(as.numeric(law$scale), length(places)),
         never_negative = "never_negative" %in% traits)
  })
  for (column in intersect(c("value", "lower95", "upper95"), names(rows))) {
    rows[[column]] <- utils::type.convert(replace(rows[[column]], rows[[column]] == "", NA), as.is = TRUE)
  }
  attr(rows, "unit") <- unit
  attr(rows, "forms") <- forms
  class(rows) <- c("dprelease_table", "data.frame")
  rows
}

#' Cells of some rows of a table, which `combine` takes.
#' @export
`[.dprelease_table` <- function(x, i, j, ...) {
  if (nargs() < 3 || !missing(j)) return(NextMethod())
  plain <- structure(x, class = "data.frame", forms = NULL)
  rows <- plain[i, , drop = FALSE]
  structure(rows, class = c("dprelease_table", "data.frame"), unit = attr(x, "unit"),
            forms = attr(x, "forms")[match(rownames(rows), rownames(plain))])
}

cells_of <- function(table) {
  if (!inherits(table, "dprelease_table")) return(list(table))
  lapply(seq_len(nrow(table)), function(row) {
    list(value = table$value[row], lower95 = table$lower95[row], upper95 = table$upper95[row], confidence = 0.95,
         unit = attr(table, "unit"), form = attr(table, "forms")[[row]])
  })
}

#' Return one number of several with the interval of the noise that they have together.
#'
#' `kind`: sum, difference, total, times (a number and a cell), ratio, or share (of a part and its whole). Cells are rows
#' of tables, or what `combine` returned. Refused where the joint noise is not known.
combine <- function(kind, ...) {
  given <- do.call(c, lapply(list(...), function(each) if (is.numeric(each)) list(each) else cells_of(each)))
  switch(kind,
    total = total_of(given),
    times = multiplied(given[[1]], given[[2]]),
    ratio = ratio_of(given[[1]], given[[2]]),
    share = share_of(given[[1]], given[[2]]),
    sum = , difference = added(given[[1]], given[[2]], if (kind == "sum") 1 else -1),
    refuse("kind", kind)
  )
}



# Decimals n * 10^-k, of whole n up to 2^53.
decimal <- function(written) {
  if (is.numeric(written)) written <- format(written, digits = 15, scientific = FALSE, trim = TRUE)
  parts <- regmatches(written, regexec("^([-+]?)([0-9]+)(?:\\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?$", written))[[1]]
  k <- nchar(parts[4]) - if (parts[5] == "") 0 else as.numeric(parts[5])
  n <- as.numeric(paste0(parts[2], parts[3], parts[4]))
  if (k < 0) list(n = n * 10^-k, k = 0) else list(n = n, k = k)
}
plus <- function(one, other) {
  k <- max(one$k, other$k)
  list(n = one$n * 10^(k - one$k) + other$n * 10^(k - other$k), k = k)
}
times <- function(one, other) list(n = one$n * other$n, k = one$k + other$k)
float <- function(number) number$n / 10^number$k

joined <- function(one, other, factor) {
  c <- other$c * factor$n
  k <- max(one$k, other$k + factor$k)
  own <- one$c * 10^(k - one$k)
  theirs <- c * 10^(k - other$k - factor$k)
  at <- match(other$keys, one$keys)
  own[at[!is.na(at)]] <- own[at[!is.na(at)]] + theirs[!is.na(at)]
  new <- is.na(at)
  found <- list(value = plus(one$value, times(factor, other$value)), keys = c(one$keys, other$keys[new]), c = c(own, theirs[new]),
                k = k, law = c(one$law, other$law[new]), scale = c(one$scale, other$scale[new]), never_negative = FALSE)
  keep <- found$c != 0
  for (name in c("keys", "c", "law", "scale")) found[[name]] <- found[[name]][keep]
  found
}

grouped <- function(c, law, scale) {
  if (!length(c)) return(data.frame(c = numeric(), law = character(), scale = numeric(), many = numeric()))
  key <- paste(format(c, digits = 17), law, format(scale, digits = 17))
  first <- !duplicated(key)
  many <- as.vector(table(factor(key, levels = unique(key))))
  found <- data.frame(c = c[first], law = law[first], scale = scale[first], many = many)
  found[found$c != 0, ]
}

LAPLACE <- "discrete_laplace"
POINTS <- 100000
is_one_laplace <- function(parts) sum(parts$many) == 1 && parts$law[1] == LAPLACE
deviation <- function(parts) sqrt(sum(parts$many * ifelse(parts$law == LAPLACE, 2, 1) * (parts$c * parts$scale)^2))

characteristic <- function(law, s, angle) {
  if (law == LAPLACE) return(1 / (1 + 4 * exp(-1 / s) / expm1(-1 / s)^2 * sin(angle / 2)^2))
  if (s >= 4) return(exp(-((abs((angle + pi) %% (2 * pi) - pi) * s)^2) / 2))
  above <- below <- 1
  for (k in seq_len(ceiling(12 * s))) {
    weight <- exp(-(k * k) / (2 * s * s))
    above <- above + 2 * weight * cos(k * angle)
    below <- below + 2 * weight
  }
  above / below
}

# The least h with P(|sum of c Z| > h) <= 5 %.
margin <- function(parts) {
  if (is_one_laplace(parts)) {
    s <- parts$scale
    return(parts$c * max(0, ceiling(-s * (log(0.05 / 2) + log1p(exp(-1 / s)))) - 1))
  }
  spread <- deviation(parts)
  size <- 64
  while (size < 80 * spread + 64) size <- size * 2
  j <- seq_len(min(size / 2, POINTS))
  t <- 2 * pi * j / size
  turned <- bound <- rep(1, length(t))
  for (row in seq_len(nrow(parts))) {
    part <- parts[row, ]
    own <- characteristic(part$law, part$scale, part$c * t)^part$many
    turned <- turned * own
    if (part$c == 1) bound <- bound * own
  }
  rest <- ifelse(2 * j == size, 0, bound * log(pi / t))
  end <- which(rest < 1e-10)[1]
  if (is.na(end)) end <- length(j)
  rest <- rest[end]
  half <- (t / 2)[seq_len(end)]
  weights <- (ifelse(2 * j == size, 1, 2) * turned / sin(t / 2))[seq_len(end)]
  low <- -1
  high <- ceiling(4.5 * spread) + 1
  if (rest > 1e-6) high <- high + ceiling(sum(parts$c * parts$many))
  while (high - low > 1) {
    h <- floor((low + high) / 2)
    beyond <- if (rest > 1e-6) outside(parts, h) else 1 - (2 * h + 1 + sum(weights * sin((2 * h + 1) * half))) / size + rest
    if (beyond > 0.05 - 1e-9) low <- h else high <- h
  }
  high
}

# At least P(|sum of c Z| >= distance), by continuous noise of the same laws and one step a draw.
outside <- function(parts, distance) {
  h <- distance - sum(parts$c * parts$many)
  if (h <= 0 || !nrow(parts)) return(as.numeric(h <= 0 && nrow(parts) > 0))
  if (is_one_laplace(parts)) return(exp(-h / (parts$c * parts$scale)))
  step <- 2 * pi / (40 * deviation(parts) + 2 * h)
  t <- seq_len(POINTS) * step
  turned <- rep(1, length(t))
  for (row in seq_len(nrow(parts))) {
    square <- (parts$c[row] * parts$scale[row] * t)^2
    turned <- turned * (if (parts$law[row] == LAPLACE) 1 / (1 + square) else exp(-square / 2))^parts$many[row]
  }
  end <- which(turned < 1e-7)[1]
  if (is.na(end)) end <- POINTS
  own <- seq_len(end)
  max(0, 1 - (h + sum(2 * turned[own] * sin(h * t[own]) / t[own])) * step / pi) + turned[end]
}

half_width <- function(form) {
  if (!length(form$c)) return(decimal("0"))
  divisor <- function(one, other) if (other == 0) one else divisor(other, one %% other)
  unit <- Reduce(divisor, unique(abs(form$c)))
  times(list(n = unit, k = form$k), list(n = margin(grouped(abs(form$c) / unit, form$law, form$scale)), k = 0))
}

reckoned <- function(value, lower95, upper95, confidence, unit, form = NULL) {
  list(value = value, lower95 = lower95, upper95 = upper95, confidence = confidence, unit = unit, form = form)
}

opened <- function(form, unit) {
  half <- half_width(form)
  lower <- plus(form$value, times(decimal("-1"), half))
  reckoned(float(form$value), float(lower), float(plus(form$value, half)), 0.95, unit, form)
}

ends <- function(cell) {
  found <- c(cell$lower95, cell$upper95)
  if (length(found) != 2 || !is.numeric(found) || anyNA(found)) refuse("no_interval")
  found
}

added <- function(one, other, sign) {
  if (one$unit != other$unit) refuse("two_units")
  if (!is.null(one$form) && !is.null(other$form)) return(opened(joined(one$form, other$form, decimal(sign)), one$unit))
  if (min(one$confidence, other$confidence) < 0.95) refuse("third_interval")
  found <- ends(one) + sort(sign * ends(other))
  reckoned(one$value + sign * other$value, found[1], found[2], 0.9, one$unit)
}

multiplied <- function(factor, cell) {
  if (!is.null(cell$form)) {
    nothing <- list(value = decimal("0"), keys = character(), c = numeric(), k = 0, law = character(), scale = numeric())
    return(opened(joined(nothing, cell$form, decimal(factor)), cell$unit))
  }
  found <- sort(factor * ends(cell))
  reckoned(factor * cell$value, found[1], found[2], cell$confidence, cell$unit)
}

total_of <- function(cells) {
  if (!length(cells)) refuse("nothing")
  open <- Filter(function(cell) !is.null(cell$form), cells)
  if (length(open) < length(cells) && length(cells) > 2) refuse("third_interval")
  forms <- lapply(open, function(cell) cell$form)
  keys <- unlist(lapply(forms, function(form) form$keys))
  if (anyDuplicated(keys)) refuse("held_twice")
  units <- unique(vapply(cells, function(cell) cell$unit, ""))
  if (length(open) < length(cells) || length(units) > 1) {
    return(if (length(cells) == 1) multiplied(1, cells[[1]]) else added(cells[[1]], cells[[2]], 1))
  }
  k <- max(vapply(forms, function(form) form$k, 1))
  all <- function(name) unlist(lapply(forms, function(form) form[[name]]))
  form <- list(value = Reduce(plus, lapply(forms, function(form) form$value)), keys = keys,
               c = unlist(lapply(forms, function(form) form$c * 10^(k - form$k))), k = k, law = all("law"),
               scale = all("scale"), never_negative = FALSE)
  opened(form, units)
}

# Fieller's set of quotients, {r : A - rB is within its margin}; without a value where the denominator may be 0.
ratio_of <- function(one, other) {
  unit <- if (one$unit == other$unit) "" else paste0(one$unit, "/", other$unit)
  if (is.null(one$form) || is.null(other$form)) {
    if (min(one$confidence, other$confidence) < 0.95) refuse("third_interval")
    own <- ends(one)
    theirs <- ends(other)
    if (own[1] <= 0 || theirs[1] <= 0) refuse("interval_with_0")
    return(reckoned(one$value / other$value, own[1] / theirs[2], own[2] / theirs[1], 0.9, unit))
  }
  a <- one$form
  b <- other$form
  above <- float(a$value)
  below <- float(b$value)
  if (abs(below) <= float(half_width(b))) return(reckoned(NULL, NULL, NULL, 0.95, unit))
  middle <- above / below
  keys <- union(b$keys, a$keys)
  from <- function(form) {
    found <- form$c[match(keys, form$keys)] / 10^form$k
    ifelse(is.na(found), 0, found)
  }
  in_a <- from(a)
  in_b <- from(b)
  laws <- c(b$law, a$law)[match(keys, c(b$keys, a$keys))]
  scales <- c(b$scale, a$scale)[match(keys, c(b$keys, a$keys))]
  off <- function(r) grouped(abs(in_a - r * in_b), laws, scales)
  if (!nrow(off(middle))) return(reckoned(middle, middle, middle, 0.95, unit))
  is_in <- function(r) outside(off(r), abs(above - r * below)) > 0.05
  end <- function(side) {
    low <- 0
    high <- max(abs(middle), (float(half_width(a)) + abs(above)) / abs(below), 1e-9) / 64
    while (is_in(middle + side * high)) {
      low <- high
      high <- 2 * high
    }
    for (turn in 1:30) {
      half <- (low + high) / 2
      if (is_in(middle + side * half)) low <- half else high <- half
    }
    outwards(middle + side * high, side)
  }
  reckoned(middle, end(-1), end(1), 0.95, unit)
}

# A number in six significant digits, rounded down or up.
outwards <- function(number, side) {
  if (number == 0) return(0)
  digits <- 5 - floor(log10(abs(number)))
  scaled <- number * 10^digits
  as.numeric(paste0(format(if (side < 0) floor(scaled) else ceiling(scaled), scientific = FALSE), "e", -digits))
}

share_of <- function(part, whole) {
  if (is.null(part$form) || is.null(whole$form)) refuse("unknown_noise")
  found <- ratio_of(part, whole)
  at <- match(part$form$keys, whole$form$keys)
  within <- !anyNA(at) && all(part$form$c / 10^part$form$k == (whole$form$c / 10^whole$form$k)[at])
  if (is.null(found$value) || !isTRUE(part$form$never_negative) || !within) return(found)
  cut <- function(number) min(1, max(0, number))
  reckoned(cut(found$value), cut(found$lower95), cut(found$upper95), 0.95, "")
}
