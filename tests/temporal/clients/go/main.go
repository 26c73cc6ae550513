// Every operation on schedules of Temporal's Go SDK, with what it answers, one per line.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

const id = "by-go"

var team = temporal.NewSearchAttributeKeyKeyword("Team")

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// await asks until the answer is right.
func await(what string, handle client.ScheduleHandle, isRight func(*client.ScheduleDescription) bool) *client.ScheduleDescription {
	for range 300 {
		described := must(handle.Describe(context.Background()))
		if isRight(described) {
			return described
		}
		time.Sleep(100 * time.Millisecond)
	}
	log.Fatal("not within 30 s: ", what)
	return nil
}

func options() client.ScheduleOptions {
	return client.ScheduleOptions{
		ID: id,
		Spec: client.ScheduleSpec{
			CronExpressions: []string{"0 2 * * *"},
			Calendars:       []client.ScheduleCalendarSpec{{Hour: []client.ScheduleRange{{Start: 12}}, Comment: "noon"}},
			TimeZoneName:    "Europe/Berlin",
		},
		Action:                &client.ScheduleWorkflowAction{ID: "go-quick", Workflow: "Quick", TaskQueue: "work", Args: []any{7}},
		Overlap:               0,
		CatchupWindow:         time.Hour,
		Note:                  "made by Go",
		TriggerImmediately:    true,
		Memo:                  map[string]any{"team": "data"},
		TypedSearchAttributes: temporal.NewSearchAttributes(team.ValueSet("data")),
	}
}

func main() {
	ctx := context.Background()
	c := must(client.Dial(client.Options{
		HostPort:          os.Getenv("TEMPORAL_ADDRESS"),
		Credentials:       client.NewAPIKeyStaticCredentials(os.Getenv("TEMPORAL_API_KEY")),
		ConnectionOptions: client.ConnectionOptions{TLSDisabled: os.Getenv("TEMPORAL_TLS") == "false"},
	}))
	defer c.Close()
	schedules := c.ScheduleClient()

	handle := must(schedules.Create(ctx, options()))
	fmt.Println("create:", handle.GetID())
	_, err := schedules.Create(ctx, options())
	fmt.Println("create again:", errors.Is(err, temporal.ErrScheduleAlreadyRunning))

	described := await("the first run", handle, func(d *client.ScheduleDescription) bool {
		return d.Info.NumActions == 1 && len(d.Info.RunningWorkflows) == 0
	})
	action := described.Schedule.Action.(*client.ScheduleWorkflowAction)
	var memo string
	check(converter.GetDefaultDataConverter().FromPayload(described.Memo.GetFields()["team"], &memo))
	attribute, _ := described.TypedSearchAttributes.GetKeyword(team)
	result := described.Info.RecentActions[0].StartWorkflowResult
	fmt.Println("describe:", action.Workflow, action.TaskQueue, described.Schedule.State.Note, memo, attribute,
		len(described.Info.NextActionTimes), described.Schedule.Spec.TimeZoneName, len(described.Schedule.Spec.Calendars))
	fmt.Println("recent:", strings.HasPrefix(result.WorkflowID, "go-quick-"), result.FirstExecutionRunID != "")

	check(handle.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(input client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			changed := input.Description.Schedule
			changed.Spec = &client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: time.Hour, Offset: time.Minute}}}
			changed.State.Note = "changed"
			return &client.ScheduleUpdate{Schedule: &changed}, nil
		},
	}))
	described = must(handle.Describe(ctx))
	attribute, _ = described.TypedSearchAttributes.GetKeyword(team)
	fmt.Println("update:", described.Schedule.Spec.Intervals[0].Every, described.Schedule.Spec.Intervals[0].Offset,
		described.Schedule.State.Note, attribute)

	check(handle.Trigger(ctx, client.ScheduleTriggerOptions{}))
	await("the triggered run", handle, func(d *client.ScheduleDescription) bool { return d.Info.NumActions == 2 })
	fmt.Println("trigger: 2 actions")

	check(handle.Pause(ctx, client.SchedulePauseOptions{}))
	described = must(handle.Describe(ctx))
	fmt.Println("pause:", described.Schedule.State.Paused, described.Schedule.State.Note)
	check(handle.Unpause(ctx, client.ScheduleUnpauseOptions{Note: "go on"}))
	described = must(handle.Describe(ctx))
	fmt.Println("unpause:", described.Schedule.State.Paused, described.Schedule.State.Note)

	begin := time.Date(2026, 11, 1, 0, 1, 0, 0, time.UTC)
	check(handle.Backfill(ctx, client.ScheduleBackfillOptions{
		Backfill: []client.ScheduleBackfill{{Start: begin, End: begin.Add(3 * time.Hour), Overlap: 6}},
	}))
	described = await("the backfill", handle, func(d *client.ScheduleDescription) bool { return d.Info.NumActions == 6 })
	fmt.Println("backfill: 6 actions")

	for _, query := range []string{"", "Team = 'data'", "ScheduleId = 'nobody'"} {
		var ids []string
		listed := must(schedules.List(ctx, client.ScheduleListOptions{PageSize: 1, Query: query}))
		for listed.HasNext() {
			if entry := must(listed.Next()); strings.HasPrefix(entry.ID, "by-go") {
				ids = append(ids, entry.ID, entry.WorkflowType.Name, entry.Note)
			}
		}
		fmt.Printf("list %q: %v\n", query, ids)
	}
	_, err = c.ScheduleClient().List(ctx, client.ScheduleListOptions{Query: "Nobody = 1"})
	if err == nil {
		listed := must(c.ScheduleClient().List(ctx, client.ScheduleListOptions{Query: "Nobody = 1"}))
		listed.HasNext()
		_, err = listed.Next()
	}
	fmt.Println("list by what is not there:", err)

	check(handle.Delete(ctx))
	_, err = handle.Describe(ctx)
	var absent *serviceerror.NotFound
	fmt.Println("delete:", errors.As(err, &absent), err)
}
