/** The columns of the list of vehicles. */

import { age, fixed, percent, span } from "../format.ts";
import { anyMission } from "../missions.ts";
import { ranks } from "./roster-rows.ts";
import { conditionRank } from "./vehicle-facts.ts";
import type { VehicleFacts } from "./vehicle-facts.ts";
import type { Situation } from "../shell/situation.ts";

export interface Column {
  id: string;
  title: string;
  hint: string;
  /** px, where letters are 13 px high; wider where they are larger. */
  width: number;
  numeric: boolean;
  text(row: number): string;
  /** What rows are sorted by; nan where nothing is known. */
  value(row: number): number;
  /** Whether the first click shows the greatest first. */
  greatestFirst: boolean;
}

type Numbers = Pick<Column, "id" | "title" | "hint" | "width" | "value"> & {
  write(value: number): string;
};

function numbers(column: Numbers): Column {
  const text = (row: number) => column.write(column.value(row));
  return { ...column, numeric: true, greatestFirst: true, text };
}

export function rosterColumns(situation: Situation, facts: VehicleFacts): Column[] {
  return [
    ...wordColumns(situation, facts),
    ...missionColumns(situation, facts),
    ...motionColumns(facts),
    ...linkColumns(facts),
    ...senderColumns(facts),
  ];
}

function wordColumns(situation: Situation, facts: VehicleFacts): Column[] {
  const { roster } = situation.hello;
  const { fleet } = situation;
  const nameRank = ranks(roster.names);
  const behaviorRank = ranks(["", ...roster.behaviors]);
  const words = { numeric: false, greatestFirst: false };
  return [
    {
      ...words,
      id: "name",
      title: "Vehicle",
      hint: "Name; the symbol is hollow while it is not heard",
      width: 138,
      text: (row) => roster.names[row],
      value: (row) => nameRank[row],
    },
    {
      ...words,
      id: "state",
      title: "State",
      hint: "The run state it is in, or how long it has not been heard",
      width: 88,
      text: (row) => facts.condition(row),
      value: (row) => conditionRank(facts.health(row)),
      greatestFirst: true,
    },
    {
      ...words,
      id: "behavior",
      title: "Behavior",
      hint: "Who holds the wheel",
      width: 104,
      text: (row) => facts.behavior(row),
      value: (row) => behaviorRank[fleet.behavior[row]] ?? 0,
    },
  ];
}

/** Only where somebody has a mission. */
function missionColumns(situation: Situation, facts: VehicleFacts): Column[] {
  if (!anyMission(situation.hello.roster)) return [];
  return [
    {
      id: "step",
      title: "Step",
      hint: "Where it is in its mission",
      width: 96,
      numeric: false,
      greatestFirst: false,
      text: (row) => facts.step(row),
      value: (row) => situation.fleet.step[row] || NaN,
    },
  ];
}

function motionColumns(facts: VehicleFacts): Column[] {
  return [
    {
      id: "speed",
      title: "m/s",
      hint: "Speed, m/s",
      width: 38,
      numeric: true,
      greatestFirst: true,
      value: (row) => facts.speed(row),
      text: (row) => facts.speedWords(row),
    },
    numbers({
      id: "height",
      title: "Height",
      hint: "Height above the scenario's origin, m",
      width: 50,
      value: (row) => facts.height(row),
      write: (value) => fixed(value, 1),
    }),
    numbers({
      id: "age",
      title: "Age",
      hint: "How old what is known is: of the last fix or report",
      width: 46,
      value: (row) => facts.age(row),
      write: age,
    }),
  ];
}

function linkColumns(facts: VehicleFacts): Column[] {
  return [
    numbers({
      id: "margin",
      title: "Margin",
      hint: "Share of each tick its host has left over",
      width: 58,
      value: (row) => facts.margin(row),
      write: percent,
    }),
    numbers({
      id: "lag",
      title: "Lag",
      hint: "How late its host is; of a real vehicle, how long a fix is under way",
      width: 60,
      value: (row) => facts.lag(row),
      write: span,
    }),
    numbers({
      id: "loss",
      title: "Loss",
      hint: "Share of messages lost lately",
      width: 46,
      value: (row) => facts.loss(row),
      write: percent,
    }),
  ];
}

function senderColumns(facts: VehicleFacts): Column[] {
  return [
    numbers({
      id: "accuracy",
      title: "± m",
      hint: "Accuracy of the last fix of a real vehicle, m",
      width: 44,
      value: (row) => facts.accuracy(row),
      write: (value) => fixed(value, 1),
    }),
    numbers({
      id: "battery",
      title: "Battery",
      hint: "Battery of a real vehicle's sender",
      width: 58,
      value: (row) => facts.battery(row),
      write: percent,
    }),
  ];
}
