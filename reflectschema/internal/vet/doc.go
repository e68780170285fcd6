// Package vet finds mistakes in schema documents that JSON Schema lets pass, as go vet finds mistakes in programs that
// compile: misspelt keywords, keywords without effect, bounds that no value meets, values that their own schema refuses.
//
// Each kind of mistake is a [Check]; [Document.Mistakes] applies all of them, for package reflectschema, which refuses such
// documents. [Document.Walk] visits the schemas of a document, each a [Subschema] that knows its location: package lint
// applies the same checks on it, beside the rules of clients.
package vet
