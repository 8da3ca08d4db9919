package lint

import (
	"cmp"
	"io"
	"net/url"
	"path"
	"strings"
)

// SARIF 2.1.0, as code scanning services read it: only what they use.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string       `json:"id"`
	ShortDescription     sarifText    `json:"shortDescription"`
	FullDescription      sarifText    `json:"fullDescription"`
	Help                 sarifText    `json:"help"`
	HelpURI              string       `json:"helpUri"`
	DefaultConfiguration sarifDefault `json:"defaultConfiguration"`
	Properties           sarifTags    `json:"properties"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifTags struct {
	Tags []string `json:"tags"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	PhysicalLocation struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	} `json:"physicalLocation"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homePage    = "https://github.com/retrygen/retrygen"
	rulesPage   = homePage + "/blob/main/docs/lint.md"
	// sarifRoot stands for the folder that paths are relative to: that of the
	// repository where retrygen runs there.
	sarifRoot = "%SRCROOT%"
)

var sarifLevels = map[Severity]string{Error: "error", Warning: "warning", Info: "note"}

// WriteSARIF writes a log in SARIF 2.1.0. Where a finding has no place of its own,
// it is said at the beginning of the file that fallback names: services show
// nothing without a place. What is ignored is left out, as they would show it.
func (r Report) WriteSARIF(w io.Writer, version, fallback string) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "retrygen", Version: version, InformationURI: homePage}
	for i := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(&rules[i]))
	}
	for _, f := range r.Findings {
		run.Results = append(run.Results, sarifResultOf(f, fallback))
	}
	return writeJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifRuleOf(r *Rule) sarifRule {
	tags := []string{"retries"}
	if r.Name == "secret-in-document" {
		tags = []string{"security"}
	}
	return sarifRule{
		ID:                   r.Name,
		ShortDescription:     sarifText{Text: r.Title + "."},
		FullDescription:      sarifText{Text: r.Why},
		Help:                 sarifText{Text: r.Why + "\n" + r.Fix, Markdown: r.Why + "\n\n**How to mend it:** " + r.Fix},
		HelpURI:              rulesPage + "#" + r.Name,
		DefaultConfiguration: sarifDefault{sarifLevels[r.Severity]},
		Properties:           sarifTags{tags},
	}
}

func sarifResultOf(f Finding, fallback string) sarifResult {
	result := sarifResult{
		RuleID:    f.Rule.Name,
		RuleIndex: indexOf(f.Rule),
		Level:     sarifLevels[f.Rule.Severity],
		Message:   sarifText{Text: f.Text() + "\n" + f.Fix},
		Locations: make([]sarifLocation, 1),
	}
	at := &result.Locations[0].PhysicalLocation
	at.ArtifactLocation = sarifArtifactOf(cmp.Or(f.Pos.File, fallback))
	at.Region = sarifRegion{max(f.Pos.Line, 1), max(f.Pos.Col, 1)}
	return result
}

func indexOf(rule *Rule) int {
	for i := range rules {
		if &rules[i] == rule {
			return i
		}
	}
	return -1
}

// sarifArtifactOf is a file: relative to the working folder, or by its whole path.
func sarifArtifactOf(file string) sarifArtifact {
	if path.IsAbs(file) || strings.Contains(file, ":/") {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(file, "/")}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: file}).String(), URIBaseID: sarifRoot}
}
