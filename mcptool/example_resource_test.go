package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type InvoiceIn struct {
	_     struct{} `mcp:"name=invoice,uri=shop:///invoices/{id}{?items}" doc:"An invoice"`
	ID    int      `json:"id" jsonschema:"minimum=1"`
	Items bool     `json:"items,omitzero"` // shop:///invoices/7?items=true
}

type Invoice struct {
	ID    int      `json:"id"`
	Total float64  `json:"total"`
	Items []string `json:"items,omitempty"`
}

var invoices = map[int]Invoice{7: {ID: 7, Total: 12.5, Items: []string{"bread", "cheese"}}}

func ReadInvoice(_ context.Context, in InvoiceIn) (Invoice, error) {
	invoice, ok := invoices[in.ID]
	if !ok {
		return Invoice{}, mcptool.ErrResourceNotFound
	}
	if !in.Items {
		invoice.Items = nil
	}
	return invoice, nil
}

// A resource is read without a server, by its URI.
func ExampleNewResource() {
	resource, err := mcptool.NewResource(ReadInvoice)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, uri := range []string{"shop:///invoices/7", "shop:///invoices/7?items=true", "shop:///invoices/8", "shop:///invoices/x"} {
		contents, err := resource.Read(context.Background(), uri)
		fmt.Println(contents, err)
	}
	// Output:
	// [shop:///invoices/7: application/json, "{\"id\":7,\"total\":12.5}"] <nil>
	// [shop:///invoices/7?items=true: application/json, "{\"id\":7,\"total\":12.5,\"items\":[\"bread\",\"cheese\"]}"] <nil>
	// [] resource not found
	// [] shop:///invoices/{id}{?items}: invalid arguments
	// id: must be an integer, got the string "x"
	// Example: {"id":1}
}

// Values are encoded where the template needs it.
func ExampleResource_Expand() {
	type In struct {
		Path string `json:"path"`
		Tag  string `json:"tag,omitzero"`
	}
	read := func(context.Context, In) (string, error) { return "", mcptool.ErrResourceNotFound }
	file, err := mcptool.NewResource(read, mcptool.URI("repo:///{+path}{?tag}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(file.Expand(map[string]string{"path": "docs/a b.md", "tag": "v1:rc"}))
	fmt.Println(file.Expand(map[string]string{"path": "../secret", "ref": "v1"}))
	// Output:
	// repo:///docs/a%20b.md?tag=v1%3Arc <nil>
	//  mcptool: repo:///{+path}{?tag}: the value of path is ".." or has it as a segment
	// there is no variable ref
}

func ReadHours(context.Context, struct{}) (string, error) { return "Monday to Friday, 9 to 18", nil }

// A func without arguments has no struct whose tag could contain the URI.
func ExampleURI() {
	hours, err := mcptool.NewResource(ReadHours, mcptool.URI("shop:///hours"))
	if err != nil {
		fmt.Println(err)
		return
	}
	contents, err := hours.Read(context.Background(), "shop:///hours")
	fmt.Println(contents, err)
	// Output:
	// [shop:///hours: text/plain, "Monday to Friday, 9 to 18"] <nil>
}
