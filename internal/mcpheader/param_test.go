package mcpheader_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/internal/private"
)

// TestLongNumber: comparing a header with a long number takes time in proportion to its length.
func TestLongNumber(t *testing.T) {
	t.Parallel()
	long := "1" + strings.Repeat("7", 4_000_000)
	params := []private.ParamHeader{{Name: "N", Path: []string{"n"}}}
	begun := time.Now()
	if err := mcpheader.CheckParams(map[string][]string{"Mcp-Param-N": {"1"}}, params, []byte(`{"n":`+long+`}`)); err == nil {
		t.Error("1 and a long number are equal")
	}
	same := long[:1000]
	if err := mcpheader.CheckParams(map[string][]string{"Mcp-Param-N": {same}}, params, []byte(`{"n":`+same+`}`)); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 5*time.Second { // big.Rat takes more than 30 s
		t.Errorf("it took %v", took)
	}
}
