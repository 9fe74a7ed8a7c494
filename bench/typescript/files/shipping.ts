type Zone = "home" | "near" | "far";
interface Parcel { grams: number; zone: Zone; express?: boolean }
interface Price { cents: number; reason: string }

const base: Record<Zone, number> = { home: 390, near: 890, far: 1690 };

function steps(grams: number, step: number = 500): number {
  return Math.max(0, Math.ceil((grams - 1000) / step));
}

export default function shipping(context: { parcels: Parcel[] }): Price[] {
  return context.parcels.map((parcel: Parcel): Price => {
    const cents: number = base[parcel.zone] + steps(parcel.grams) * 120;
    const factor = (parcel.express ? 1.5 : 1) as number;
    return { cents: Math.round(cents * factor), reason: `${parcel.zone}, ${parcel.grams} g` };
  });
}
