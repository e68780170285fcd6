// Package library has the data of the servers that the migration guides compare.
package library

import (
	"slices"
	"strings"
	"sync"
)

// Book is a book or a magazine.
type Book struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Kind  string `json:"kind"`
}

var (
	mu       sync.Mutex
	reserved []string
	books    = []Book{
		{ID: "dune", Title: "Dune", Kind: "book"},
		{ID: "emma", Title: "Emma", Kind: "book"},
		{ID: "dune-review", Title: "The Dune Review", Kind: "magazine"},
	}
)

// Find returns at most limit books of a kind, or of all kinds, whose titles contain a text.
func Find(text, kind string, limit int) []Book {
	found := []Book{}
	for _, b := range books {
		if strings.Contains(strings.ToLower(b.Title), strings.ToLower(text)) && (kind == "" || b.Kind == kind) && len(found) < limit {
			found = append(found, b)
		}
	}
	return found
}

// Get returns the book with an id.
func Get(id string) (Book, bool) {
	i := slices.IndexFunc(books, func(b Book) bool { return b.ID == id })
	if i < 0 {
		return Book{}, false
	}
	return books[i], true
}

// Reserve reserves a book.
func Reserve(id string) {
	mu.Lock()
	defer mu.Unlock()
	reserved = append(reserved, id)
}
