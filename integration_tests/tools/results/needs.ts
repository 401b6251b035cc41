// What tests may be skipped for, by its name for a person, and what it takes to fetch and run that.

export const NEEDS = {
  'a Kafka broker': ['Java 17', 'Maven'],
  'Apicurio Registry': ['Java 17', 'Maven'],
  "Kafka's clients for Python": ['Python 3'],
  promtool: ["Debian's apt"],
  'Node 26': ['npm'],
} as const

export type Need = keyof typeof NEEDS
