package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Severity is the severity of an incident; sev1 is the worst.
type Severity string

// Status is the progress of an incident.
type Status string

// OpenIn describes a new incident.
type OpenIn struct {
	_        struct{} `mcp:"name=open_incident,title=Open an incident,destructive=false,openWorld=false" doc:"Begin the log of an incident"`
	Title    string   `json:"title" jsonschema:"minLength=5,maxLength=100" doc:"What users notice, e.g. Checkout fails for cards from abroad"`
	Severity Severity `json:"severity" jsonschema:"enum=sev1,enum=sev2,enum=sev3"`
	Impact   string   `json:"impact" jsonschema:"minLength=5,maxLength=500" doc:"Who is affected, how many, since when"`
}

// UpdateIn is an entry for the log of an incident.
type UpdateIn struct {
	_        struct{}  `mcp:"name=update_incident,title=Update an incident,destructive=false,openWorld=false" doc:"Add an entry to the log of an incident. Entries are never changed or removed"`
	ID       int       `json:"id" jsonschema:"minimum=1"`
	Status   Status    `json:"status" jsonschema:"enum=investigating,enum=identified,enum=monitoring,enum=resolved"`
	Text     string    `json:"text" jsonschema:"minLength=5,maxLength=2000" doc:"What is known now that was not known before"`
	Severity *Severity `json:"severity,omitzero" jsonschema:"enum=sev1,enum=sev2,enum=sev3" doc:"If it has changed"`
}

// ListIn selects incidents.
type ListIn struct {
	_      struct{} `mcp:"name=list_incidents,title=List incidents,readOnly,openWorld=false" doc:"List incidents with their logs, the newest first"`
	Open   bool     `json:"open" jsonschema:"default=true" doc:"Only those that are not resolved"`
	Limit  int      `json:"limit" jsonschema:"minimum=1,maximum=100,default=20" doc:"How many at most"`
	Before int      `json:"before,omitzero" jsonschema:"minimum=1" doc:"Only those with a smaller id: the next ones after a list that ends with this id"`
}

// Incident is an incident with its log.
type Incident struct {
	ID       int      `json:"id"`
	Title    string   `json:"title"`
	Severity Severity `json:"severity"`
	Impact   string   `json:"impact"`
	Status   Status   `json:"status"`
	Log      []Entry  `json:"log"`
}

// Entry is an entry of a log.
type Entry struct {
	At     time.Time `json:"at"`
	Status Status    `json:"status"`
	Text   string    `json:"text"`
}

// Log is the log of all incidents, in memory.
type Log struct {
	now func() time.Time

	mu        sync.Mutex
	incidents []*Incident
}

const (
	mostIncidents = 1000
	mostEntries   = 500
)

// OpenIncident starts the log of an incident.
func (l *Log) OpenIncident(_ context.Context, in OpenIn) (Incident, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.incidents) == mostIncidents {
		return Incident{}, mcptool.Errorf("the log has %d incidents, and has no room for more", mostIncidents)
	}
	for _, i := range l.incidents {
		if i.Status != "resolved" && i.Title == in.Title {
			return Incident{}, mcptool.Errorf("incident %d is open and has this title; update it instead", i.ID)
		}
	}
	made := &Incident{ID: len(l.incidents) + 1, Title: in.Title, Severity: in.Severity, Impact: in.Impact, Status: "investigating"}
	made.Log = []Entry{{l.now().UTC(), made.Status, "Opened as " + string(in.Severity) + ": " + in.Impact}}
	l.incidents = append(l.incidents, made)
	return made.copied(), nil
}

// UpdateIncident adds an entry to the log of an incident.
func (l *Log) UpdateIncident(_ context.Context, in UpdateIn) (Incident, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if in.ID > len(l.incidents) {
		return Incident{}, mcptool.Errorf("there is no incident %d; list_incidents has the ids", in.ID)
	}
	i := l.incidents[in.ID-1]
	switch {
	case i.Status == "resolved":
		return Incident{}, mcptool.Errorf("incident %d is resolved; open a new one, and name this one in its impact", in.ID)
	case in.Status == "resolved" && i.Status != "monitoring":
		return Incident{}, mcptool.Errorf("incident %d is %s; set it to monitoring first, and resolve it when the fix has held", in.ID, i.Status)
	case len(i.Log) == mostEntries:
		return Incident{}, mcptool.Errorf("the log of incident %d has %d entries, and has no room for more", in.ID, mostEntries)
	}
	text := in.Text
	if in.Severity != nil && *in.Severity != i.Severity {
		text = "Now " + string(*in.Severity) + ", was " + string(i.Severity) + ": " + text
		i.Severity = *in.Severity
	}
	i.Status = in.Status
	i.Log = append(i.Log, Entry{l.now().UTC(), in.Status, text})
	return i.copied(), nil
}

// ListOut is a list of incidents. Some clients accept no list at the root of a result.
type ListOut struct {
	Incidents []Incident `json:"incidents" doc:"The newest first"`
}

// ListIncidents lists incidents, newest first.
func (l *Log) ListIncidents(_ context.Context, in ListIn) (ListOut, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list ListOut
	for _, i := range slices.Backward(l.incidents) {
		if in.Open && i.Status == "resolved" || in.Before > 0 && i.ID >= in.Before {
			continue
		}
		list.Incidents = append(list.Incidents, i.copied())
		if len(list.Incidents) == in.Limit {
			break
		}
	}
	return list, nil
}

// copied returns a copy that is independent of later entries.
func (i *Incident) copied() Incident {
	other := *i
	other.Log = slices.Clone(i.Log)
	return other
}
