// Package figure summarizes measurements over several rounds, and formats times, rates, sizes and ratios with about
// three digits.
package figure
