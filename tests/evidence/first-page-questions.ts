/**
 * Questions the demo household would ask, as the first call an agent makes. `wrong` lists values of an earlier state,
 * a part or another unit: a page that shows one of them without the answer is misleading.
 */
export interface EverydayQuestion {
  readonly question: string;
  readonly tool: "search" | "aggregate" | "query_records";
  readonly arguments: { readonly [name: string]: unknown };
  /** Spellings of the answer; `…` separates parts that may be apart. */
  readonly answers: readonly string[];
  readonly wrong?: readonly string[];
}

const search = (
  question: string,
  query: string,
  answers: readonly string[],
  wrong: readonly string[] = [],
): EverydayQuestion => ({ question, tool: "search", arguments: { query }, answers, wrong });

export const everydayQuestions: readonly EverydayQuestion[] = [
  search(
    "What did the insurance pay for the stolen bike?",
    "insurance payout stolen cargo bike",
    ["2,450.00", "2.450,00", "= 2450"],
    ["2,600", "2.600,00", "2600"],
  ),
  search("What do I earn at Tidewater?", "salary at Tidewater", ["78,500", "78.5"], ["74,000", "74k", "80,000"]),
  search("Who voted against the roof levy?", "who voted against the levy", ["Dornbusch … Petersohn-Lück … Yıldıray"]),
  search("When is my next dentist appointment?", "dentist", ["28 08:50"]),
  search("What does oat milk cost us?", "oat milk", ["1.79", "3.58", "5.37", "7.16", "8.95", "10.74"]),
  search("When is Mila's piano lesson?", "piano lesson", ["16:30"], ["14:30", "15:30"]),
  search("When does Haruka land?", "Haruka flight arrival", ["19:05"], ["17:40"]),
  search("How much tax did we get back?", "tax refund", ["1,043.17", "1.043,17"], ["612"]),
  search("What did the class trip cost?", "Klassenfahrt Kosten", ["96,50"], ["61,50", "24,00"]),
  search(
    "What did the holiday house cost in total?",
    "what did the holiday house cost in total",
    ["1,680.00", "1 680,00", "1680"],
    ["504", "1176", "1,176.00"],
  ),
  search("Which roofer got the contract, for how much?", "roof offers", ["84,600", "84.600"], ["91.250", "88.900"]),
  search("What was the boiler invoice?", "Rechnung R-2026-0117", ["486,71", "486.71"]),
  search("What is police report VR-2026-88214 about?", "VR-2026-88214", ["Stolen", "gestohlen"]),
  search("What did we give Samir and Rania?", "present for Samir and Rania", ["night train", "Gift voucher"]),
  search("How much was in the envelope for the wedding?", "wedding envelope", ["185"], ["50", "40"]),
  search("What did Maman's photo book cost?", "photo book Maman price", ["64.80"], ["59.90"]),
  search("What did the telescope cost?", "telescope price", ["189", "189.00"]),
  search("When does my probation end?", "end of probation", ["3 November"]),
  search("Did we ever go to Iceland?", "did we ever go to iceland", ["no record has: iceland"]),
  {
    question: "What did Priya write last?",
    tool: "search",
    arguments: { query: "priya", connection_id: "cin_chat_ada" },
    answers: ["I do hummus"],
  },
  {
    question: "What have we spent on orders?",
    tool: "aggregate",
    arguments: { stream: "orders", metric: "sum", field: "total_amount" },
    answers: ["11641.26", "11,641.26"],
    wrong: ["18544.11", "18,544.11"],
  },
  {
    question: "What was the most expensive order?",
    tool: "aggregate",
    arguments: { stream: "orders", metric: "max", field: "total_amount" },
    answers: ["3149", "3,149"],
    wrong: ["6800", "6,800"],
  },
  {
    question: "In which shop do we spend most?",
    tool: "aggregate",
    arguments: { stream: "orders", metric: "sum", field: "total_amount", group_by: "shop" },
    answers: ["Radkontor"],
  },
  {
    question: "What has Jonas written in the chat?",
    tool: "query_records",
    arguments: { stream: "messages", connection_id: "cin_chat_ada", filter: { sender_name: "Jonas" } },
    answers: ["Jonas Brambleby"],
  },
  {
    question: "How many mails did Noor send?",
    tool: "query_records",
    arguments: { stream: "messages", connection_id: "cin_mail_work", filter: { from_name: "Noor" } },
    answers: ["Noor Achterwald"],
  },
];
