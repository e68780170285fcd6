// Command mcptool is the server of the migration guides, written with mcptool.
package main

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/lab/migration/library"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

type FindIn struct {
	_     struct{} `mcp:"readOnly" doc:"Find books by their title"`
	Text  string   `json:"text" jsonschema:"minLength=1" doc:"part of the title"`
	Kind  string   `json:"kind,omitempty" jsonschema:"enum=book,enum=magazine" doc:"only books or only magazines"`
	Limit int      `json:"limit" jsonschema:"minimum=1,maximum=50,default=10" doc:"how many at most"`
}

type FindOut struct {
	Books []library.Book `json:"books"`
}

func FindBooks(_ context.Context, in FindIn) (FindOut, error) {
	return FindOut{Books: library.Find(in.Text, in.Kind, in.Limit)}, nil
}

type ReserveIn struct {
	_  struct{} `doc:"Reserve a book for the user"`
	ID string   `json:"id" doc:"the id of the book"`
}

type ReserveOut struct {
	Reserved bool `json:"reserved"`
}

func ReserveBook(ctx context.Context, in ReserveIn) (ReserveOut, error) {
	book, ok := library.Get(in.ID)
	if !ok {
		return ReserveOut{}, mcptool.Errorf("there is no book %q; find_books returns the ids", in.ID)
	}
	if err := mcptool.Confirm(ctx, "Reserve "+book.Title+"?"); err != nil {
		return ReserveOut{}, err
	}
	library.Reserve(book.ID)
	return ReserveOut{Reserved: true}, nil
}

type RecommendIn struct {
	Kind string `json:"kind" jsonschema:"enum=book,enum=magazine"`
}

func Recommend(_ context.Context, in RecommendIn) (string, error) {
	return fmt.Sprintf("Recommend a %s from the library.", in.Kind), nil
}

type BookIn struct {
	_  struct{} `mcp:"name=book,uri=library:///books/{id}"`
	ID string   `json:"id"`
}

func ReadBook(_ context.Context, in BookIn) (library.Book, error) {
	book, ok := library.Get(in.ID)
	if !ok {
		return library.Book{}, mcptool.ErrResourceNotFound
	}
	return book, nil
}

func main() {
	mcptool.Register(FindBooks)
	mcptool.Register(ReserveBook)
	mcptool.RegisterPrompt(Recommend)
	mcptool.RegisterResource(ReadBook)
	stdio.Main(&runtime.Server{Name: "library", Version: "1.0.0"})
}
