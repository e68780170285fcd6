// Package jsonquery reads parts of large JSON values: pages, selected columns, rows that meet conditions, sorted or grouped
// rows, and lines of texts. It also cuts values, so that what is left still fits their schema.
//
//	doc, err := jsonquery.New(text)
//	answer, err := doc.Answer(ctx, &jsonquery.Query{Path: "orders", Group: []string{"status"}}, jsonquery.Schema{}, 8<<10)
//
// A [Document] is the JSON text and an index of 20 bytes for each value in it. Queries read the text, so that they need
// little memory of their own. Queries may be from clients that are not trusted. Their time is limited by the
// context, and the numbers of sorted values, groups and matches, and the size of regular expressions, have limits.
package jsonquery
