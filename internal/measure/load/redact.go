package load

import (
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// Redact redacts secrets in all texts of a report. What the report shares with the plan and the tallies is copied first.
// It returns the error of making the JSON form, which cannot fail if the arguments are JSON.
func (r *Report) Redact(secrets *redact.Values) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var clean Report
	if err := json.Unmarshal(secrets.JSON(text), &clean); err != nil {
		return err
	}
	for i, l := range r.Lost {
		if len(l.Stderr) > 0 { // joined, because a private key has several lines
			clean.Lost[i].Stderr = strings.Split(secrets.Text(strings.Join(l.Stderr, "\n")), "\n")
		}
	}
	*r = clean
	return nil
}
