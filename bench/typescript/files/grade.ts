enum Grade { Low = 1, Middle, High }

export default function grade(context: { points: number }): Grade {
  if (context.points > 80) return Grade.High;
  return context.points > 40 ? Grade.Middle : Grade.Low;
}
