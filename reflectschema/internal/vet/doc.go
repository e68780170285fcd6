// Package vet finds mistakes in schema documents that JSON Schema allows: misspelt keywords, keywords without effect, bounds
// that no value meets, values that do not fit their own schema.
//
// Each kind of mistake is a [Check]. [Document.Mistakes] applies all checks, for package reflectschema, which rejects
// documents with mistakes. [Document.Walk] visits the schemas of a document, each as a [Subschema] with its location; package
// lint applies the same checks in it, together with the rules of clients.
package vet
