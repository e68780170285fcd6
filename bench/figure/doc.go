// Package figure is how measurements become numbers for people: what a number of rounds
// gave, and times, rates, sizes and ratios with about three digits.
package figure
