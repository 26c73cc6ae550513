// Schedules by Temporal's Go SDK, on carillon: create, trigger, backfill, and an update that a conflict token protects.
//
//	TEMPORAL_ADDRESS=127.0.0.1:7233 TEMPORAL_API_KEY=$(cat carillon-data/admin.token) go run .
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	enums "go.temporal.io/api/enums/v1"
	schedulepb "go.temporal.io/api/schedule/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"
)

const id = "go-example"

func create(ctx context.Context, c client.Client) client.ScheduleHandle {
	handle, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: id,
		Spec: client.ScheduleSpec{
			CronExpressions: []string{"0 0 * * *"}, // daily at midnight
			TimeZoneName:    "Europe/Berlin",
		},
		Action: &client.ScheduleWorkflowAction{
			ID:        "scheduled-workflow",
			Workflow:  "MyWorkflow",
			TaskQueue: "reports",
			Args:      []any{"html"},
		},
		Overlap:       enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow: time.Hour,
	})
	if err != nil {
		log.Fatal("create: ", err)
	}
	return handle
}

func trigger(ctx context.Context, handle client.ScheduleHandle) {
	if err := handle.Trigger(ctx, client.ScheduleTriggerOptions{
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL,
	}); err != nil {
		log.Fatal("trigger: ", err)
	}
}

func backfill(ctx context.Context, handle client.ScheduleHandle) {
	end := time.Now().Truncate(24 * time.Hour)
	err := handle.Backfill(ctx, client.ScheduleBackfillOptions{
		Backfill: []client.ScheduleBackfill{{
			Start:   end.AddDate(0, 0, -3),
			End:     end,
			Overlap: enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ALL,
		}},
	})
	if err != nil {
		log.Fatal("backfill: ", err)
	}
}

// update says which state it has seen, and is refused if somebody was faster. The schedule client of the SDK does not send
// the token, so this is the call below it.
func update(ctx context.Context, c client.Client, seen *workflowservice.DescribeScheduleResponse, notes string) error {
	changed := proto.Clone(seen.Schedule).(*schedulepb.Schedule)
	changed.State.Notes = notes
	_, err := c.WorkflowService().UpdateSchedule(ctx, &workflowservice.UpdateScheduleRequest{
		Namespace:     "default",
		ScheduleId:    id,
		Schedule:      changed,
		ConflictToken: seen.ConflictToken,
		RequestId:     notes,
	})
	return err
}

func protectedUpdate(ctx context.Context, c client.Client) {
	seen, err := c.WorkflowService().DescribeSchedule(ctx, &workflowservice.DescribeScheduleRequest{Namespace: "default", ScheduleId: id})
	if err != nil {
		log.Fatal("describe: ", err)
	}
	fmt.Println("with the token of now:", update(ctx, c, seen, "first"))
	fmt.Println("with the same token again:", update(ctx, c, seen, "second"))
}

func main() {
	c, err := client.Dial(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS"), HeadersProvider: key{}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	handle := create(ctx, c)
	trigger(ctx, handle)
	backfill(ctx, handle)
	described, err := handle.Describe(ctx)
	if err != nil {
		log.Fatal("describe: ", err)
	}
	fmt.Println("next:", described.Info.NextActionTimes[0].UTC().Format(time.RFC3339))
	protectedUpdate(ctx, c)
	if err := handle.Delete(ctx); err != nil {
		log.Fatal("delete: ", err)
	}
	fmt.Println("deleted")
}

// key is the token of carillon, as Temporal's clients send an API key. Over TLS, client.NewAPIKeyStaticCredentials does the same.
type key struct{}

func (key) GetHeaders(context.Context) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + os.Getenv("TEMPORAL_API_KEY")}, nil
}
