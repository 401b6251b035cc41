// What the program is called by whoever installed it. Text only.

export const PROGRAM = 'destination-analytics-service'
