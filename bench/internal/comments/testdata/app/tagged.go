//go:build tagged

package main

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Extra is only built with a tag.
func (inner) Extra(context.Context, struct{}) (mcptool.Text, error) { return mcptool.Text{}, nil }
