// Which offers a customer sees, and in which order.
                 
             
                
                
                          
 

                    
                  
                 
                
 

                                              

const countries                      = new Set        (["DE", "AT", "CH"]);
const weights                         = { tag: 5, stock: 1, price: 2 };

function overlap(a                   , b                   )         {
  return a.filter((tag        )          => b.includes(tag)).length;
}

function isVisible(offer       , customer          )          {
  const isRare          = offer.tags.includes("rare");
  return offer.stock > 0 && (!isRare || customer.spent > 500);
}

function scoreOf(offer       , customer          )        {
  let points         = overlap(offer.tags, customer.tags) * weights.tag ;
  points += Math.min(offer.stock, 10) * weights.stock ;
  points -= (offer.price / 100) * (weights.price          );
  return { offer, points };
}

const customer           = { country: "DE", tags: ["tea", "cups"], spent: 620 };
const offers          = [
  { id: "pot", price: 4900, stock: 3, tags: ["tea", "rare"] },
  { id: "mug", price: 900, stock: 40, tags: ["cups"] },
  { id: "tin", price: 500, stock: 0, tags: ["tea"] },
];

const scores          = offers
  .filter((offer       )          => isVisible(offer, customer))
  .map((offer       )        => scoreOf(offer, customer));
scores.sort((a       , b       )         => b.points - a.points);

const ids = scores.map((score       ) => score.offer.id)                   ;
return countries.has(customer.country) ? ids : [];
