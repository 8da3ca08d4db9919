package lint

import (
	"io"

	"github.com/retrygen/retrygen/internal/report"
)

// jsonReport is a report for programs. Members are only ever added.
type jsonReport struct {
	Findings []jsonFinding `json:"findings"`
	Ignored  []jsonFinding `json:"ignored"`
	Summary  jsonSummary   `json:"summary"`
}

type jsonFinding struct {
	Rule       string   `json:"rule"`
	Severity   Severity `json:"severity"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Column     int      `json:"column"`
	Message    string   `json:"message"`
	Why        string   `json:"why"`
	Fix        string   `json:"fix"`
	Operations []string `json:"operations,omitempty"`
	Reason     string   `json:"reason,omitempty"`
}

type jsonSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Ignored  int `json:"ignored"`
}

// WriteJSON writes one JSON object.
func (r Report) WriteJSON(w io.Writer) error {
	return writeJSON(w, jsonReport{
		Findings: jsonFindings(r.Findings),
		Ignored:  jsonFindings(r.Ignored),
		Summary:  jsonSummary{r.Count(Error), r.Count(Warning), r.Count(Info), len(r.Ignored)},
	})
}

func jsonFindings(found []Finding) []jsonFinding {
	all := make([]jsonFinding, len(found))
	for i, f := range found {
		all[i] = jsonFinding{
			Rule: f.Rule.Name, Severity: f.Rule.Severity, File: f.Pos.File, Line: f.Pos.Line, Column: f.Pos.Col,
			Message: f.Message, Why: f.Rule.Why, Fix: f.Fix, Operations: f.Operations, Reason: f.Reason,
		}
	}
	return all
}

func writeJSON(w io.Writer, value any) error {
	data, err := report.JSON(value)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}
