// Package figure summarizes measurements over several rounds, and formats times, rates, sizes and ratios with about
// three digits.
//
// This package is public because the programs in internal/lab, another module, use it. It may change at any time.
package figure
