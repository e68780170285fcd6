package main

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns up to n cities with names that differ from location in at
// most one of three letters, or share a word with it, nearest first.
func nearest(cities []city, location string, n int) []city {
	place, _, _ := strings.Cut(location, ",")
	wanted := fold(place)
	distance := make(map[string]int)
	near := having(cities, func(c city) bool {
		name := fold(c.name)
		distance[c.name] = edits(wanted, name)
		return distance[c.name] <= len(name)/3 || shareWord(wanted, name)
	})
	slices.SortStableFunc(near, func(a, b city) int {
		return cmp.Compare(distance[a.name], distance[b.name])
	})
	return near[:min(n, len(near))]
}

func shareWord(a, b string) bool {
	words := strings.Fields(b)
	return slices.ContainsFunc(strings.Fields(a), func(w string) bool { return slices.Contains(words, w) })
}

// edits returns the number of letters to insert, delete or replace to turn a
// into b. It takes time proportional to len(a) times len(b); the schema limits
// the input.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // edits from the prefix of a so far to b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
